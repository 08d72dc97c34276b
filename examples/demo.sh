#!/bin/sh
# What `make demo` shows: the shipped predictions, scored. Run from the root of the clone.
set -eu
say() { printf '\n$ %s\n' "$*"; "$@"; }

echo "How sure are you of that score? Four counts:"
say howsure score --counts tp=80,fp=20,fn=30,tn=870 --above f1=0.7
echo
echo "Ten passes of ten trials are not 100%:"
say howsure score --rate 10/10
echo
echo "569 real predictions (examples/breast_cancer.csv), two models:"
python examples/demo.py
say howsure metrics f1
