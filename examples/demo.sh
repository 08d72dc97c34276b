#!/bin/sh
# What `make demo` shows: two models compared on shipped predictions. Run from the root of the clone.
set -eu
export COLUMNS=80
say() { # the command, continued before an option where it is long, and its output
    echo
    echo "\$ $*" | awk '{
        many = split($0, part, " --"); line = part[1]
        for (i = 2; i <= many; i++)
            if (length(line part[i]) > 75) { print line " \\"; line = "    --" part[i] }
            else line = line " --" part[i]
        print line }'
    "$@"
}
data=examples/breast_cancer.csv

echo "Two models answered the same 569 items. How good is the first one?"
say howsure score $data --pred logistic --positive malignant
echo
echo "Is it better than the second one?"
say howsure compare $data --pred logistic --pred tree \
    --positive malignant --metric f1
echo
echo "Which of three is the best?"
say howsure leaderboard $data --pred logistic --pred tree \
    --pred naive_bayes --positive malignant --metric f1
echo
echo "Ten passes of ten trials are not 100%:"
say howsure score --rate 10/10
if python -c 'import jinja2, vl_convert' 2>/dev/null; then
    mkdir -p build
    howsure score $data --pred logistic --positive malignant --by size \
        --metric f1 --metric recall --above f1=0.9 --out build/report.html
    echo
    echo "The same with charts, to look at and to send: build/report.html"
fi
cat <<'END'

What to try next:
  howsure score YOUR.csv                       your own predictions
  howsure compare a.jsonl b.jsonl --on id      two files, a model each
  howsure score YOUR.csv --out report.html     a report with charts
  howsure metrics                              all measures
  howsure COMMAND --help                       every option
In Python: import howsure as hs; print(hs.score(y_true, y_pred))
END
