/**
 * `npm run bench:console`: how long a person waits for the console with 1,000,000 users and 10,000
 * skills behind `npm start`, beside a page with nothing but a heading, in Debian's Chromium. Each
 * time begins with what the person does and ends when the rows are shown. Prints Markdown for
 * docs/performance.md; exits with 1 if a goal is missed. Filling the store takes some minutes. `--
 * --short` only checks that the bench works.
 */
import '../lib/help.ts'
import { launchBrowser } from '../../test/console/browser.ts'
import { installProgram } from '../../test/console/programs.ts'
import { computePercentile, formatMs, printLoad, printMachine, printTable } from '../lib/figures.ts'
import { chooseByLength, failIfMissed } from '../lib/short.ts'
import { toDefinition } from '../registry/skills.ts'
import { type ConsoleWorld, openConsoleWorld, toUsername } from './world.ts'

const USERS = chooseByLength(1_000_000, 2_000)
const SKILLS = chooseByLength(10_000, 200)
const ROUNDS = chooseByLength(21, 2)
/** Longest wait beyond that for the bare page, at the 95th percentile of the rounds. */
const MORE_MS_MAX = 1_000
/** Far apart from each other, so that no round finds what the one before read. */
const STRIDE = 7_919

type Wait = { readonly name: string; readonly ms: number[] }

installProgram('chromium')
printMachine('npm run bench:console')
const world = await openConsoleWorld(USERS, SKILLS)
const browser = await launchBrowser('chromium')
const waits = new Map<string, Wait>()
try {
  for (let round = 0; round < ROUNDS; round += 1) await measureRound(world, round)
} finally {
  await browser.close()
  await world.stop()
}
const [bare, ...pages] = [...waits.values()]
if (bare === undefined) throw new Error('nothing was measured')
const bareMs = computePercentile(bare.ms, 95)
const isMet = ({ ms }: Wait) => computePercentile(ms, 95) - bareMs <= MORE_MS_MAX
printTable(
  [`${USERS} users, ${SKILLS} skills`, 'ms, p50', 'ms, p95', 'goal: p95 beyond the bare page'],
  [bare, ...pages].map((wait) => [
    wait.name,
    formatMs(computePercentile(wait.ms, 50)),
    formatMs(computePercentile(wait.ms, 95)),
    wait === bare ? '' : `≤ ${MORE_MS_MAX}${isMet(wait) ? '' : ' MISSED'}`,
  ]),
)
printLoad()
failIfMissed(pages.every(isMet))

/** Opens a window with nothing in its cache, as the first of a day. */
async function measureRound({ adminKey, bareUrl, origin }: ConsoleWorld, round: number) {
  const user = toUsername(((round + 1) * STRIDE) % USERS)
  const { id: skill } = toDefinition(((round + 1) * STRIDE) % SKILLS)
  const page = await browser.newPage()
  const first = page.locator('main tbody tr').first()
  const isFirst = (name: string) => first.getByRole('link', { name, exact: true }).waitFor()
  const menu = page.getByRole('navigation', { name: 'Pages' })
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await measure('a bare page: its heading', async () => {
    await page.goto(bareUrl)
    await page.getByRole('heading', { name: 'Bare' }).waitFor()
  })
  await measure('the console: the field for a key', async () => {
    await page.goto(`${origin}/v1/console/#/users`)
    await page.getByLabel('Key', { exact: true }).waitFor()
  })
  await page.getByLabel('Key', { exact: true }).fill(adminKey)
  await measure('sign-in: the first users', async () => {
    await button('Sign in').click()
    await first.waitFor()
  })
  await measure('a search for a user', async () => {
    await page.getByLabel('Name begins with').fill(user)
    await isFirst(user)
  })
  await measure('a user', async () => {
    await page.getByRole('link', { name: user }).click()
    await button('Grant credits').waitFor()
  })
  await measure('the overview', async () => {
    await menu.getByRole('link', { name: 'Overview' }).click()
    await page.locator('main h1', { hasText: 'Overview' }).waitFor()
    await page.locator('main .waiting').first().waitFor({ state: 'detached' })
  })
  await measure('the first skills', async () => {
    await menu.getByRole('link', { name: 'Skills' }).click()
    await first.waitFor()
  })
  await measure('a search for a skill', async () => {
    await page.getByLabel('Words').fill(skill)
    await isFirst(skill)
  })
  await page.close()
}

async function measure(name: string, act: () => Promise<unknown>): Promise<void> {
  const wait = waits.get(name) ?? { name, ms: [] }
  waits.set(name, wait)
  const startedMs = performance.now()
  await act()
  wait.ms.push(performance.now() - startedMs)
}
