package review

// SARIFCritical is the security score from which a SARIF result is critical:
// GitHub's band for the property "security-severity", 0 to 10 like CVSS.
const SARIFCritical = 9.0

// SARIFSeverity is the severity of a SARIF 2.1.0 result with a level (3.27.10)
// and the security score of its rule, 0 for none. An analyser's "error" is a
// rule broken, not an outage: only a score makes it critical. No level is
// SARIF's default, "warning".
func SARIFSeverity(level string, score float64) Severity {
	switch {
	case score >= SARIFCritical:
		return Critical
	case level == "note", level == "none":
		return Suggestion
	}
	return Warning
}
