"""The names of `earnest.results`, each written once."""

from .core.results.cautions import Caution as Caution
from .core.results.comparison import Comparison as Comparison
from .core.results.comparison_table import Comparisons as Comparisons
from .core.results.counts import Counts as Counts
from .core.results.estimate import Estimate as Estimate
from .core.results.estimate import Estimates as Estimates
from .core.results.estimate import Refusal as Refusal
from .core.results.gain import Gain as Gain
from .core.results.gain import LearningCurve as LearningCurve
from .core.results.interval import Interval as Interval
from .core.results.thresholds import Thresholds as Thresholds
from .decision.plan import Plan as Plan
from .decision.verdict import Verdict as Verdict
from .explanation.curves import EffectCurve as EffectCurve
from .explanation.curves import EffectSurface as EffectSurface
from .explanation.regions.regions import RegionTree as RegionTree
from .explanation.result import Explanation as Explanation
from .inference.general.result import StatisticResult as StatisticResult
from .reporting.references import references as references
from .reporting.report import Report as Report
from .reporting.tracking import log_estimate as log_estimate
from .store.sqlite import RunFile as RunFile
from .training.assess.nested import NestedResult as NestedResult
from .training.assess.stability import Stability as Stability
from .training.tune.model import Model as Model
from .training.tune.tuned import Tuned as Tuned
