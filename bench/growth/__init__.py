"""How cost grows with the size of what is given: cases, their measuring, the fitted exponents, charts and a page."""
