/**
 * `npm run pure`: runs the purity rules (biome.json, scripts/lint/pure-core.grit) over core/ alone.
 * `npm run lint` applies them too. This script also fails if Biome checked fewer files than core/
 * has, or if the rules are not loaded: a core file with a clock in it, written to a temporary
 * folder, must be refused.
 */
import '../bench/lib/help.ts'
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const REPO = join(import.meta.dirname, '..')
const BIOME = join(REPO, 'node_modules/.bin/biome')
const RULES = ['biome.json', 'scripts/lint']
/** Categories of impure code; `plugin` is Biome's category for a finding of a Grit file. */
const IMPURE = ['plugin', 'lint/style/noRestrictedGlobals', 'lint/style/noProcessEnv']

export type Finding = { readonly file: string; readonly category: string; readonly message: string }
type LintReport = { readonly fileCount: number; readonly findings: readonly Finding[] }

/** Returns the reasons why the core of the tree at `root` is not pure; none if it is. */
export function findImpurities(root: string): readonly string[] {
  const onDisk = globSync('core/**/*.ts', { cwd: root }).length
  if (onDisk === 0) return ['core/ holds no file: nothing was judged']
  const { fileCount, findings } = lintFolder(root, 'core')
  const impure = findings.filter(({ category }) => IMPURE.includes(category))
  const faults = impure.map(({ file, category, message }) => `${file}: ${category}: ${message}`)
  if (fileCount < onDisk) faults.push(`Biome judged ${fileCount} of ${onDisk} files in core/`)
  return faults
}

/** Lints a folder of the tree at `root` by the biome.json of that tree. */
export function lintFolder(root: string, room: string): LintReport {
  const args = ['lint', '--reporter=json', '--max-diagnostics=none', room]
  const run = spawnSync(BIOME, args, { cwd: root, encoding: 'utf8' })
  if (run.error) throw run.error
  const { summary, diagnostics } = parseReport(run.stdout, run.stderr)
  return {
    fileCount: summary.changed + summary.unchanged,
    findings: diagnostics
      .filter(({ severity }) => severity === 'error')
      .map(({ location, category, message }) => ({ file: location.path, category, message })),
  }
}

type BiomeReport = {
  summary: { changed: number; unchanged: number }
  diagnostics: { severity: string; category: string; message: string; location: { path: string } }[]
}

function parseReport(stdout: string, stderr: string): BiomeReport {
  try {
    return JSON.parse(stdout) as BiomeReport
  } catch (cause) {
    throw new Error(`biome gave no report: ${stderr}`, { cause })
  }
}

/**
 * Creates a temporary tree under this repository's rules and passes it to `judge`. Files that
 * `fill` writes are checked as if they were in the repository.
 */
export function withRules<T>(fill: (root: string) => void, judge: (root: string) => T): T {
  const root = mkdtempSync(join(tmpdir(), 'skillgate-lint-'))
  try {
    for (const rule of RULES) cpSync(join(REPO, rule), join(root, rule), { recursive: true })
    fill(root)
    return judge(root)
  } finally {
    rmSync(root, { recursive: true })
  }
}

/**
 * Tells whether the rules are loaded, by one violation for the Grit plugin and one for the denied
 * globals.
 */
function areRulesLoaded(): boolean {
  const fill = (root: string) => {
    mkdirSync(join(root, 'core'))
    writeFileSync(join(root, 'core/clock.ts'), 'export const nowMs = () => Date.now()\n')
    writeFileSync(join(root, 'core/net.ts'), 'export const get = () => fetch("x")\n')
  }
  return withRules(fill, (root) => lintFolder(root, 'core').findings.length === 2)
}

if (import.meta.main) {
  const faults = [...findImpurities(REPO)]
  if (!areRulesLoaded()) faults.push('the rules let a clock and a fetch pass: they are not loaded')
  for (const fault of faults) console.error(fault)
  console.log(`pure core: ${faults.length} faults`)
  if (faults.length > 0) process.exitCode = 1
}
