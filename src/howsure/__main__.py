"""python -m howsure."""

try:
    from howsure.cli import main
except KeyboardInterrupt:
    raise SystemExit(130) from None

main()
