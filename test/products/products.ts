/** Connects, reads back and disconnects one product, by its own command and by its file. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { Twin } from '../e2e/twin.ts'
import { type Check, check } from './check.ts'
import { type Home, REPO, withHome } from './home.ts'

/** A product starts its binary and asks the twin; the first start is the slowest. */
const PROGRAM_MS_MAX = 90_000

type Product = {
  readonly id: string
  readonly version: readonly string[]
  readonly list: readonly string[]
  /** What the list says of a server that is connected; undefined: it has the server. */
  isListed(output: string, url: string): boolean
}

export const PRODUCTS: readonly Product[] = [
  {
    id: 'claude-code',
    version: ['claude', '--version'],
    list: ['claude', 'mcp', 'list'],
    isListed: (output, url) => output.includes(url) && /skillgate: .*Connected/.test(output),
  },
  {
    id: 'codex',
    version: ['codex', '--version'],
    list: ['codex', 'mcp', 'list', '--json'],
    isListed: isListedByCodex,
  },
  {
    id: 'gemini-cli',
    version: ['gemini', '--version'],
    list: ['gemini', 'mcp', 'list'],
    isListed: (output, url) => output.includes(url) && /skillgate: .*Connected/.test(output),
  },
]

/** Codex does not connect when it lists; it tells what it has read. */
function isListedByCodex(output: string, url: string): boolean {
  const from = output.indexOf('[')
  const servers: readonly CodexServer[] = from === -1 ? [] : JSON.parse(output.slice(from))
  return servers.some(
    ({ enabled, name, transport }) =>
      name === 'skillgate' &&
      enabled &&
      transport.url === url &&
      transport.bearer_token_env_var === 'SKILLGATE_KEY',
  )
}

type CodexServer = {
  readonly name: string
  readonly enabled: boolean
  readonly transport: { readonly url?: string; readonly bearer_token_env_var?: string }
}

type World = { readonly programs: string; readonly twin: Twin }

export async function checkProduct(product: Product, world: World): Promise<readonly Check[]> {
  const checks: Check[] = []
  for (const more of [[], ['--edit-file']]) {
    checks.push(...(await withHome(world.programs, (home) => checkIn(home, product, world, more))))
  }
  return checks
}

async function checkIn(
  home: Home,
  product: Product,
  { twin }: World,
  more: readonly string[],
): Promise<readonly Check[]> {
  const run = runner(home, twin)
  const connect = ['connect', product.id, ...more]
  const way = more.length === 0 ? 'its own command' : 'its file'
  const version = run(product.version)
  const connected = run(['skillgate', ...connect])
  const listed = run(product.list)
  const again = run(['skillgate', ...connect])
  const removed = run(['skillgate', ...connect, '--remove'])
  const after = run(product.list)
  const isOwn = connected.includes('Done by ')
  return [
    check(
      `${version.trim().split('\n').at(-1)} is connected by ${way}`,
      connected,
      isOwn === (more.length === 0),
    ),
    check(`reads back what ${way} has`, listed, product.isListed(listed, twin.mcp)),
    check('is as it was after a second connect', again, again.includes('has it already')),
    check('has it no more after --remove', removed + after, !after.includes(twin.mcp)),
  ]
}

function runner({ cwd, env: own }: Home, twin: Twin) {
  const env = { ...own, SKILLGATE_URL: twin.url, SKILLGATE_KEY: twin.key }
  return ([program = '', ...args]: readonly string[]): string => {
    const isOurs = program === 'skillgate'
    const file = isOurs ? process.execPath : program
    const words = isOurs ? [join(REPO, 'cli/main.ts'), ...args] : [...args]
    const run = spawnSync(file, words, { cwd, env, encoding: 'utf8', timeout: PROGRAM_MS_MAX })
    return `${run.stdout ?? ''}${run.stderr ?? ''}${run.error?.message ?? ''}`
  }
}
