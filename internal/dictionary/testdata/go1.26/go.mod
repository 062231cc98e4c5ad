module example.com/dictionary

go 1.24

require github.com/crosswalk-gateway/crosswalk/sdk/go v0.0.0

replace github.com/crosswalk-gateway/crosswalk/sdk/go => ../../../../sdk/go
