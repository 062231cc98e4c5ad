package module

import "github.com/crosswalk-gateway/crosswalk/internal/child"

func residentBytes(statm string) int { return child.Resident(statm) }
