// Package direct asks any OpenAI-compatible endpoint (Ollama, vLLM, llama.cpp,
// OpenRouter) without an agent between: the answer streams, there are no
// tools, and what is to be reviewed stands in the prompt. It is for machines
// without OpenCode.
package direct
