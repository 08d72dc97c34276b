"""For scikit-learn's users: its classification report with intervals, and scorers for its searches.

Numbers are those that scikit-learn gives by default, but for rounding; intervals are howsure's. scikit-learn need not
be installed.
"""

from howsure.sklearn.reporting import classification_report as classification_report
from howsure.sklearn.scorers import Scorer as Scorer
from howsure.sklearn.scorers import scorer as scorer

__all__ = ["Scorer", "classification_report", "scorer"]
