package diff

import "regexp"

// lockNames are files in which a package manager pins what it chose and whose
// name does not end in ".lock", in lower case.
var lockNames = map[string]bool{
	"package-lock.json": true, "npm-shrinkwrap.json": true, "pnpm-lock.yaml": true, "pnpm-lock.yml": true,
	"go.sum": true, "go.work.sum": true, "packages.lock.json": true, "gradle.lockfile": true,
	"package.resolved": true, "cartfile.resolved": true, ".terraform.lock.hcl": true, "module.bazel.lock": true,
	"stack.yaml.lock": true, "conan.lock": true, "lockfile.json": true, "deno.lock": true,
}

var (
	minifiedName = regexp.MustCompile(`(?i)[.-]min\.(js|mjs|cjs|css)$|\.bundle\.(js|css)$`)
	vendoredDir  = regexp.MustCompile(`(^|/)(vendor|node_modules|bower_components|third_party|Godeps|Pods|Carthage/Build|\.yarn/(releases|plugins|cache|unplugged|sdks))/`)

	generatedName = regexp.MustCompile(`(\.pb(\.gw)?\.go|\.pb\.(cc|h|swift|dart)|_pb2(_grpc)?\.pyi?|_pb\.(js|d\.ts)|_grpc_pb\.(js|d\.ts)|` +
		`_generated\.[a-z]+|\.generated\.[a-z]+|\.g\.(dart|cs)|\.freezed\.dart|\.Designer\.cs|_gen\.go|(^|/)zz_generated[^/]*\.go|` +
		`\.snap|(^|/)mock_[^/]*\.go)$`)
)

// migrationPath is a file that changes a database's shape.
var migrationPath = regexp.MustCompile(`(?i)(^|/)(migrations?|migrate|alembic/versions|db/changelog)/|(^|/)V\d[^/]*__[^/]*\.sql$|\.(up|down)\.sql$`)

func migration(f *File) bool {
	for _, p := range f.paths() {
		if migrationPath.MatchString(p) {
			return true
		}
	}
	return false
}
