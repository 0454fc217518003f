"""The numbers of results: estimates and exact values, their intervals, and how fair they are."""
