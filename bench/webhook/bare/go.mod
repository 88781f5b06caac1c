module drover.dev/bench/webhook

go 1.24
