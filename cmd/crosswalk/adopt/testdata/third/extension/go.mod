module example.com/extension

go 1.24

require example.com/hooks v0.0.0

replace example.com/hooks => ../hooks
