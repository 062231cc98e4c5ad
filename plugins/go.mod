module github.com/crosswalk-gateway/crosswalk/plugins

go 1.25.0

require (
	github.com/crosswalk-gateway/crosswalk/sdk v0.0.0
	github.com/tetratelabs/wazero v1.12.0
)

require golang.org/x/sys v0.44.0 // indirect

replace github.com/crosswalk-gateway/crosswalk/sdk => ../sdk
