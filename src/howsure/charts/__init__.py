"""Charts: what results look like. Each kind is one file, a function of plain numbers and texts to a Chart.

A chart is a Vega-Lite specification, written by hand as data: one drawing for notebooks, the report, the
page and files.
"""
