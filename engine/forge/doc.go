// Package forge reads pull requests from GitHub and Gitea over their REST
// interfaces, with the credentials that gh already has.
//
//	Repo (resolved explicitly) -> Open -> Reader -> PullRequest, Diff, Files, ...
//
// Reader only reads. What writes is apart from it and is held by package
// publish alone. Client is the one place that speaks HTTP: it knows tokens,
// paging, limits and errors, and retries nothing but a GET. Whatever comes
// back was written by others: it is data, and is never cleaned here, because
// only bytes that are left alone can be compared.
package forge
