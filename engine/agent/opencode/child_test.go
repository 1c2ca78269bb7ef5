package opencode

// childEnv makes the test binary be a process that is killed.
const childEnv = "MRV_TEST_CHILD"

func child() {}
