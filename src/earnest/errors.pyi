"""The names of `earnest.errors`, each written once."""

from .core.base.errors import ClusterError as ClusterError
from .core.base.errors import EarnestError as EarnestError
from .core.base.errors import EvidenceError as EvidenceError
from .core.base.errors import FormatError as FormatError
from .core.base.errors import InputError as InputError
from .core.base.errors import MetricError as MetricError
from .core.base.errors import PluginWarning as PluginWarning
from .core.base.errors import StoreError as StoreError
from .core.base.errors import UnknownNameError as UnknownNameError
