"""Does it beat the old ways? Intervals and comparisons of howsure beside classical methods and other packages.

`make calibrate` runs the study, writes bench/calibration.json, and from it docs: calibration and its figures.
"""
