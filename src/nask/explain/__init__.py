"""Why a model decides as it does, and what would change its mind."""
