module example.com/verdicts

go 1.24

require sigs.k8s.io/json v0.0.0-20250730193827-2d320260d730
