/**
 * Writes what a deploy of this commit would do to a stage, as Markdown for a pull request: whether
 * the stage fits its account, what the change costs, which rights it widens, and all changes. Reads
 * only. Exits with 1 if the stage does not fit, after it has written everything.
 */
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { EXIT, type ExitCode } from '../../terminal/exit-code.ts'
import type { Shell } from '../../terminal/shell.ts'
import { describeCause, type Program } from '../program.ts'

const USAGE = `npm run plan -- --stage NAME [--config PATH] [--base FOLDER]: writes what a
deploy would do, as Markdown for a pull request: preflight, the cost compared
with the clone in FOLDER, widened rights, all changes. Reads only. Exits with 1
when the stage does not fit its account, with 2 for wrong arguments.`

export const PLAN: Program = { usage: USAGE, run: plan }

/** GitHub takes 65,536 characters; the rest is for headings and fences. */
export const PLAN_CHARS_MAX = 60_000
/** Of the list of all changes, which is longest and last. */
const CUT = '\n… cut here; the log of the workflow has all of it'

const CLONE = resolve(import.meta.dirname, '../../..')

type Words = {
  readonly stage: string
  readonly base: string | undefined
  readonly config: string | undefined
}

type Ended = { readonly code: number; readonly stdout: string }

async function plan(words: readonly string[], shell: Shell): Promise<ExitCode> {
  let given: Words
  try {
    given = readWords(words)
  } catch (cause) {
    shell.err.write(`plan: ${describeCause(cause)}\n`)
    return EXIT.usage
  }
  const { base, config, stage } = given
  const run = async (folder: string, file: string, args: readonly string[]): Promise<Ended> => {
    const ended = await shell.programs.collect(process.execPath, [join(folder, file), ...args])
    return ended ?? { code: EXIT.failed, stdout: '' }
  }
  const diff = (more: readonly string[]) =>
    run(CLONE, 'node_modules/aws-cdk/bin/cdk', [
      'diff',
      // Without it the CDK writes to stderr.
      '--ci',
      '--no-color',
      '--no-notices',
      '-c',
      `stage=${stage}`,
      ...(config === undefined ? [] : ['-c', `config=${config}`]),
      ...more,
    ])
  const preflight = await run(CLONE, 'cli/clone/main.ts', [
    'preflight',
    '--stage',
    stage,
    ...(config === undefined ? [] : ['--config', config]),
  ])
  const now = await run(CLONE, 'scripts/cost.ts', [])
  const before = base === undefined ? now : await run(resolve(base), 'scripts/cost.ts', [])
  const rights = await diff(['--security-only'])
  const changes = await diff([])
  const text = formatPlan(stage, {
    preflight: preflight.stdout,
    cost: compareLines(before.stdout, now.stdout),
    rights: rights.stdout,
    changes: changes.stdout,
  })
  shell.out.write(`${text}\n`)
  const isDone = [preflight, now, before, rights, changes].every(({ code }) => code === EXIT.ok)
  return isDone ? EXIT.ok : EXIT.failed
}

function readWords(words: readonly string[]): Words {
  const text = { type: 'string' } as const
  const options = { stage: text, base: text, config: text }
  const { base, config, stage } = parseArgs({ args: [...words], options }).values
  if (stage === undefined) throw new Error('--stage: is missing; name the stage')
  return { stage, base, config }
}

/** The lines that only one of the two has, marked as in a diff; empty if all are the same. */
export function compareLines(before: string, after: string): string {
  const [old, now] = [before, after].map((text) => text.trim().split('\n'))
  const gone = (old ?? []).filter((line) => now?.includes(line) !== true)
  const fresh = (now ?? []).filter((line) => old?.includes(line) !== true)
  return [...gone.map((line) => `- ${line}`), ...fresh.map((line) => `+ ${line}`)].join('\n')
}

export type PlanParts = {
  readonly preflight: string
  readonly cost: string
  readonly rights: string
  readonly changes: string
}

/** Returns the Markdown, of at most PLAN_CHARS_MAX characters. Rights come before other changes. */
export function formatPlan(stage: string, { changes, cost, preflight, rights }: PlanParts): string {
  const head = [
    `## What a deploy of stage ${stage} would do`,
    '### The account',
    toBlock('text', preflight),
    '### The cost',
    cost === '' ? 'The same as before.' : toBlock('diff', cost),
    '### Widened rights',
    rights.trim() === '' ? 'None.' : toBlock('text', rights),
    '### All changes',
  ].join('\n\n')
  const left = Math.max(0, PLAN_CHARS_MAX - head.length - 2 * FENCE_CHARS - CUT.length)
  const shown = changes.length <= left ? changes : changes.slice(0, left).toWellFormed() + CUT
  return `${head}\n\n${toBlock('text', shown)}`.slice(0, PLAN_CHARS_MAX)
}

/** Room for a fence and its line ends. */
const FENCE_CHARS = 64

/** A block whose fence is longer than any in the text, which may come from a template. */
function toBlock(language: string, text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text.trim()}\n${fence}`
}
