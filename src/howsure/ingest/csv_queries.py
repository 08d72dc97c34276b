"""How DuckDB is asked for the rows and the lines of CSV files.

The line end is always given: left alone, DuckDB takes the first that it meets, which may lie within a quoted name.

Several threads drop a last line of more than 8 MB in silence, so `ends.py` measures the lines of plain and gzip files.
Only DuckDB can unpack zstd: there one thread, which refuses lines of up to 32 MB, and the JSON reader, which refuses
longer ones, look for long lines first. Rows are read by several threads, as one drops a last row whose quote is open.
"""

from __future__ import annotations

from typing import Any, Final

from howsure.ingest.packing import File

LONGEST: Final = 2_000_000  # bytes of one line
ENDS: Final = {
    "\n": "\\n",
    "\r": "\\r",
    "\r\n": "\\r\\n",
}  # if told \r\n, DuckDB takes \r too: try it last
BUFFER: Final = 16 * LONGEST  # bytes that DuckDB holds at once; within them it drops nothing
LONG_LINES: Final = (
    "SELECT count(*) FROM read_json_objects($file, format='newline_delimited', ignore_errors=true, compression='zstd')"
)


def csv_table(file: File) -> str:
    """The rows of CSV files of one form. DuckDB skips a header of one line; one of several lines is their first row."""
    end = f", new_line='{ENDS[file.end]}'" if file.end else ""
    return (
        f"read_csv($files, auto_detect=false, header={not file.tall}, skip={file.blank}, delim=$delimiter, quote='\"', "
        f"escape='\"', columns=$types, compression='{file.packing}', max_line_size={LONGEST}{end})"
    )


def csv_bound(file: File) -> dict[str, Any]:
    """The bound values of `csv_table`, except the files."""
    return {"delimiter": file.delimiter, "types": {f"c{i}": "VARCHAR" for i in range(len(file.names))}}


def lines_table(*, mixed: bool) -> str:
    """The lines of a zstd file, `$file`, as they are; with `mixed` line ends, some lines are empty."""
    ends = ", new_line='\\n', strict_mode=false" if mixed else ""
    return (
        "read_csv($file, columns={'line': 'VARCHAR'}, auto_detect=false, delim='', quote='', escape='', header=false, "
        f"compression='zstd', max_line_size={LONGEST}, parallel=false, buffer_size={BUFFER + LONGEST}{ends})"
    )
