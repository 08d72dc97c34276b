#!/bin/sh
# What `make demo` shows: two models compared on shipped predictions. Run from the root of the clone.
set -eu
say() { # the command, folded at 80 columns, and its output
    echo
    echo "\$ $*" | fold -s -w 76 | sed '$!s/ *$/ \\/'
    "$@"
}
data=examples/breast_cancer.csv

echo "Two models answered the same 569 items. How good is the first one?"
say howsure score $data --truth truth --pred logistic --positive malignant
echo
echo "Is it better than the second one?"
say howsure compare $data --truth truth --pred logistic --pred tree \
    --positive malignant --metric f1
echo
echo "Which of three is the best?"
say howsure leaderboard $data --truth truth --pred logistic --pred tree \
    --pred naive_bayes --positive malignant --metric f1
echo
echo "Ten passes of ten trials are not 100%:"
say howsure score --rate 10/10
cat <<'END'

What to try next:
  howsure score YOUR.csv --truth COLUMN --pred COLUMN   your own predictions
  howsure compare a.jsonl b.jsonl --on id --outcome passed   two files
  howsure metrics                                       all measures
  howsure COMMAND --help                                every option
In Python: import howsure as hs; print(hs.score(y_true, y_pred))
END
