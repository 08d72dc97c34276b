"""From evidence and prior to a posterior, and from a metric to its estimand and distribution."""
