module example.com/dictionary

go 1.24

require github.com/crosswalk-gateway/crosswalk/sdk v0.0.0

replace github.com/crosswalk-gateway/crosswalk/sdk => ../../../../sdk
