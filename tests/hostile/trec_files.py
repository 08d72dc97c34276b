"""Judgments, runs and confusion matrices with odd lines."""

from __future__ import annotations

import gzip
from pathlib import Path

from tests.hostile.files import Made

QRELS = [f"q{q} 0 d{d} {(q * d) % 3}" for q in range(4) for d in range(6)]
RUN = [f"q{q} Q0 d{d} {d + 1} {9.5 - d} tag" for q in range(4) for d in range(7)]


def _made(name: str, lines: list[str], end: str = "\n") -> Made:
    return Made(name, "".join(x + end for x in lines).encode(), None)


def lines(name: str) -> int:
    """How many lines of a file in the current folder are not empty."""
    data = Path(name).read_bytes()
    text = gzip.decompress(data) if name.endswith(".gz") else data
    return sum(1 for line in text.split(b"\n") if line.strip())


def made() -> list[Made]:
    """All of them; the first three are as they should be."""
    other = [x.replace("9.5", "1") for x in RUN]
    found = [
        _made("qrels.txt", QRELS),
        _made("one.run", RUN),
        _made("two.run", [f"q{q} Q0 d{d} {d + 1} {d * 0.5} tag" for q in range(4) for d in range(7)]),
        _made("tabs.run", [x.replace(" ", "\t") for x in RUN]),
        _made("blanks.run", [f"  {x.replace(' ', '   ')}  " for x in RUN]),
        _made("crlf.run", RUN, "\r\n"),
        _made("blank-lines.run", [y for x in RUN for y in (x, "", "  ")]),
        Made("bom.run", b"\xef\xbb\xbf" + "\n".join(RUN).encode(), None),
        Made("packed.run.gz", gzip.compress("\n".join(RUN).encode(), mtime=0), None),
        Made("cut.run.gz", gzip.compress("\n".join(RUN * 50).encode(), mtime=0)[:-20], None),
        _made("no-tag.run", [x.rpartition(" ")[0] for x in RUN]),
        _made("short-line.run", [*RUN[:3], "q1 Q0 d1", *RUN[3:]]),
        _made("nan.run", [x.replace("9.5", "nan") for x in RUN]),
        _made("infinite.run", [x.replace("9.5", "inf").replace("8.5", "-inf") for x in RUN]),
        _made("huge.run", [x.replace("9.5", "1e400") for x in RUN]),
        _made("text-score.run", [x.replace("9.5", "high") for x in RUN]),
        _made("same-scores.run", [" ".join([*x.split()[:4], "1", "t"]) for x in RUN]),
        _made("twice.run", [*RUN, *RUN[:2]]),
        _made("other-queries.run", [x.replace("q", "x", 1) for x in other]),
        _made("some-queries.run", [x for x in other if x.startswith(("q1", "q2"))]),
        _made("comment.run", ["# a comment", *RUN]),
        _made("escapes.run", [x.replace("d1 ", "\x1b[31md1 ") for x in RUN]),
        Made("binary.run", bytes(range(256)) * 9, None),
        Made("latin-1.run", "\n".join(RUN).replace("d1 ", "dé ").encode("latin-1"), None),
        Made("empty.run", b"", None),
        _made("float-grades.txt", [f"{x}.0" for x in QRELS]),
        _made("text-grades.txt", [f"{x}x" for x in QRELS]),
        _made("negative-grades.txt", [x[:-1] + "-1" for x in QRELS]),
        _made("no-relevant.txt", [x[:-1] + "0" for x in QRELS]),
        _made("huge-grades.txt", [x[:-1] + "9" * 30 for x in QRELS]),
        _made("qrels-twice.txt", [*QRELS, QRELS[0][:-1] + "2"]),
        _made("three-fields.txt", [" ".join(x.split()[:3]) for x in QRELS]),
    ]
    return found + _matrices()


def _matrices() -> list[Made]:
    tables = {
        "square": "9,1,2\n3,8,1\n0,2,7\n",
        "headed": ",a,b\na,3,1\nb,0,4\n",
        "bom": "\ufeff3,1\n0,4\n",
        "semicolon": "3;1\n0;4\n",
        "wide": "1,2,3\n4,5,6\n",
        "ragged": "1,2\n3\n",
        "negative": "1,-2\n3,4\n",
        "fractions": "1,0.5\n3,4\n",
        "words": "a,b\nc,d\n",
        "nan": "nan,1\n1,1\n",
        "infinite": "1e400,1\n1,1\n",
        "large": "9007199254740993,1\n1,1\n",
        "zeros": "0,0\n0,0\n",
        "one": "5\n",
        "empty": "",
        "same-names": ",a,a\na,3,1\na,0,4\n",
        "crossed": ",a,b\nb,3,1\na,0,4\n",
        "digits": "١,2\n3,4\n",
        "formulas": ",=1+1,@x\n=1+1,3,1\n@x,0,4\n",
        "escapes": ",\x1b[31ma,b\n\x1b[31ma,3,1\nb,0,4\n",
    }
    found = [Made(f"matrix-{name}.csv" if name != "square" else "square.csv", text.encode(), None) for name, text in
             tables.items()]  # fmt: skip
    return [*found, Made("matrix-binary.csv", bytes(range(256)), None)]
