"""The front desk: who arrives, who is here, who left; and the evacuation list."""
