"""The engine below every verb that trains: splits, cells, responses, the ledger."""
