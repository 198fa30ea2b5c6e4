/**
 * The products in .cache/products, with a folder of programs for PATH. Claude Code's own program is put in
 * place by an install script, which is not run here; its wrapper starts the same binary.
 */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installPackages } from '../conformance/install-packages.ts'

/** Answers the folder; throws with npm's own message, for example when there is no network. */
export function installProducts(): string {
  const folder = installPackages(join(import.meta.dirname, 'packages'), 'products')
  const programs = join(folder, 'programs')
  if (existsSync(programs)) return programs
  mkdirSync(programs)
  for (const name of ['codex', 'gemini']) {
    symlinkSync(join(folder, 'node_modules/.bin', name), join(programs, name))
  }
  const wrapper = join(folder, 'node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs')
  const script = `#!/bin/sh\nexec "${process.execPath}" "${wrapper}" "$@"\n`
  writeFileSync(join(programs, 'claude'), script, { mode: 0o755 })
  return programs
}
