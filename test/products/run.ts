/**
 * `npm run test:products`: the real Claude Code, Codex and Gemini CLI from npm, at pinned versions, each in a
 * home of its own, against a twin. Downloads 870 MB once, into .cache; needs the network for that alone, and
 * no login. Exits with 1 when a check fails.
 *
 * `-- connect`: `skillgate connect` alone. Looks at the file that the product's own command wrote, at the one
 * that `--edit-file` writes, and at what the product reads back.
 * `-- tasks`: Claude Code in a terminal (`script` of util-linux) alone. A stand-in for its model asks for a
 * slow tool. The call goes on as a task; its result reaches the model, and it is charged once. The model stops
 * a second one, which is refunded once.
 * `-- login`: Claude Code and Codex log in by their own commands alone, at the gateway's own login and at a
 * foreign authorization server, and are refused after the end of what they logged in with.
 */
import '../../bench/lib/help.ts'
import { startTwin } from '../e2e/twin.ts'
import { startForeignLogin } from '../oauth/foreign-login.ts'
import { startOwnLogin } from '../oauth/own-login.ts'
import type { Check } from './check.ts'
import { installProducts } from './install.ts'
import { checkProductLogin, LOGIN_PRODUCTS } from './login.ts'
import { checkProduct, PRODUCTS } from './products.ts'
import { checkTasks } from './tasks.ts'

const PARTS = { connect: checkConnect, tasks: checkClaudeTasks, login: checkLogins } as const

/** Names of the parts to run; throws for a word that is none. */
function readParts(words: readonly string[]): readonly (keyof typeof PARTS)[] {
  const all = ['connect', 'tasks', 'login'] as const
  const unknown = words.find((word) => !all.some((part) => part === word))
  if (unknown !== undefined) throw new Error(`${unknown} is no part; use ${all.join(', ')}`)
  return words.length === 0 ? all : all.filter((part) => words.includes(part))
}

/** Answers the number of failed checks. */
async function checkConnect(programs: string): Promise<number> {
  const twin = await startTwin(['--memory'])
  try {
    let failed = 0
    for (const product of PRODUCTS) {
      failed += report(product.id, await checkProduct(product, { programs, twin }))
    }
    return failed
  } finally {
    await twin.stop()
  }
}

async function checkClaudeTasks(programs: string): Promise<number> {
  return report('claude-code', await checkTasks(programs))
}

async function checkLogins(programs: string): Promise<number> {
  let failed = 0
  for (const [name, start] of [
    ['own login', startOwnLogin],
    ['foreign login', startForeignLogin],
  ] as const) {
    const gateway = await start({ renames: false })
    try {
      for (const product of LOGIN_PRODUCTS) {
        failed += report(product.id, await checkProductLogin(product, programs, { gateway, name }))
      }
    } finally {
      await gateway.stop()
    }
  }
  return failed
}

function report(id: string, checks: readonly Check[]): number {
  for (const one of checks) print(lineOf(id, one))
  return checks.filter(({ wrong }) => wrong !== undefined).length
}

function lineOf(id: string, { says, wrong }: Check): string {
  return wrong === undefined ? `ok      ${id}: ${says}` : `FAILED  ${id}: ${says}: ${wrong}`
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

try {
  const parts = readParts(process.argv.slice(2))
  const programs = installProducts()
  let failed = 0
  for (const part of parts) failed += await PARTS[part](programs)
  print(failed === 0 ? '\nAll checks passed.' : `\n${failed} failed.`)
  process.exitCode = failed === 0 ? 0 : 1
} catch (cause) {
  print(`test:products: ${cause instanceof Error ? cause.message : cause}`)
  process.exitCode = 1
}
