"""What every worker needs, loaded once before they fork, so that a new one is there in no time."""

import howsure.catalogue
import howsure.charts.scores
import howsure.comparison.verbs
import howsure.decisions.planning
import howsure.ingest.previewing
import howsure.outlines
import howsure.ranking.curves
import howsure.relations.solving
import howsure.relations.trading
import howsure.scoring
import howsure.web.working  # noqa: F401
