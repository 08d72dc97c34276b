"""The report: one file of HTML that answers first and proves after, from a document and its charts.

It needs jinja2 and the parts that draw charts (the extra `charts`). No script, and nothing is fetched.
"""
