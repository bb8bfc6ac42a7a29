"""What a run is begun with, as text that does not depend on the process."""
