"""What an installation of earnest and of each extra downloads."""
