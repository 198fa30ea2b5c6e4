/**
 * What a client must be able to do without a key. Every check can fail. `revoked`: an ended credential is
 * refused, also when the client refreshes, and the client comes back to the person.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Outcome, Row } from '../clients/checks.ts'
import type { LoginAgent, LoginClient } from './agent.ts'
import { type Browser, watchPages } from './browser.ts'
import { ECHO, type LoginGateway, type LoginWorld } from './gateway.ts'
import { must, reasonOf } from './must.ts'
import { checkStepUp } from './step-up.ts'

export const CHECKS = [
  'login',
  'list',
  'call',
  'refresh',
  'lost client',
  'step up',
  'audience',
  'revoked',
] as const
export type Check = (typeof CHECKS)[number]

/** Ends a wait for what never comes, and measures nothing. */
const ROW_MS_MAX = 180_000

/** `name`: of the gateway. */
export async function checkLogin(
  client: LoginClient,
  name: string,
  gateway: LoginGateway,
): Promise<Row> {
  const startedMs = performance.now()
  const outcomes = new Map<Check, Outcome>()
  const patience = sleep(ROW_MS_MAX, `nothing within ${ROW_MS_MAX} ms`, { ref: false })
  const why = await Promise.race([runChecks(client, gateway, outcomes), patience])
  for (const check of CHECKS) {
    if (!outcomes.has(check)) outcomes.set(check, { kind: 'failed', why: why ?? 'did not run' })
  }
  const tookMs = performance.now() - startedMs
  return { name: toRowName(client, name), outcomes, tookMs }
}

export function toRowName(client: Pick<LoginClient, 'name'>, gateway: string): string {
  return `${client.name} · ${gateway}`
}

/** Fills `outcomes` up to the first failure; answers its reason. */
async function runChecks(
  client: LoginClient,
  gateway: LoginGateway,
  outcomes: Map<Check, Outcome>,
): Promise<string | undefined> {
  let world: LoginWorld | undefined
  let agent: LoginAgent | undefined
  try {
    world = await gateway.open()
    const browser = watchPages(world.logIn)
    const tested = await client.connect({ mcp: world.mcp, person: browser.person })
    agent = tested
    const row = { agent: tested, browser, world }
    const pass = (check: Check, note = '') => outcomes.set(check, { kind: 'passed', note })
    must(browser.pages() === 1, `opened ${browser.pages()} pages`)
    pass('login')
    const names = await tested.toolNames()
    must(names.includes(ECHO), `no ${ECHO} among ${names.length} tools`)
    pass('list')
    await calls(tested)
    pass('call')
    await refreshes(row)
    pass('refresh')
    outcomes.set('lost client', await registersAgain(row))
    outcomes.set('step up', await stepsUp(client, row))
    outcomes.set('audience', await isRefusedElsewhere(client, row))
    pass('revoked', await isRefused(row))
    return undefined
  } catch (cause) {
    return reasonOf(cause)
  } finally {
    await agent?.close().catch(() => undefined)
    await world?.close()
  }
}

type LiveRow = {
  readonly agent: LoginAgent
  readonly browser: Browser
  readonly world: LoginWorld
}

async function calls(agent: LoginAgent): Promise<void> {
  const words = `hello ${Math.random()}`
  const { isError, text } = await agent.call(ECHO, { text: words })
  must(!isError && text.includes(words), `answered ${text}`)
}

async function refreshes({ agent, browser, world }: LiveRow): Promise<void> {
  const before = browser.pages()
  world.expire()
  await agent.expire?.()
  await calls(agent)
  must(browser.pages() === before, 'the person had to log in again')
}

/** The person is asked once more, since tokens belong to a client. */
async function registersAgain({ agent, browser, world }: LiveRow): Promise<Outcome> {
  if (agent.loseClient === undefined) return { kind: 'none', why: 'keeps its id' }
  const before = browser.pages()
  agent.loseClient()
  world.expire()
  await calls(agent)
  must(browser.pages() === before + 1, `opened ${browser.pages() - before} pages`)
  return { kind: 'passed', note: '' }
}

const OWN: Outcome = { kind: 'none', why: 'own login' }

async function stepsUp(client: LoginClient, { browser, world }: LiveRow): Promise<Outcome> {
  return world.issuer === undefined
    ? OWN
    : checkStepUp(client, { browser, mcp: world.mcp, issuer: world.issuer })
}

/** Tokens for another resource open nothing, however often the client gets one. */
async function isRefusedElsewhere(
  client: LoginClient,
  { browser, world }: LiveRow,
): Promise<Outcome> {
  if (world.issuer === undefined) return OWN
  const { issuer } = world
  const before = issuer.refusals()
  issuer.issueForElsewhere(true)
  const connected = await client.connect({ mcp: world.mcp, person: browser.person }).then(
    (agent) => agent,
    () => undefined,
  )
  issuer.issueForElsewhere(false)
  await connected?.close().catch(() => undefined)
  must(connected === undefined, 'connected with a token for another resource')
  must(issuer.refusals() > before, 'sent no token for another resource')
  return { kind: 'passed', note: '' }
}

/** How the client takes it: it asks the person, or tells of an error alone. */
async function isRefused({ agent, browser, world }: LiveRow): Promise<string> {
  const asked = browser.refuse()
  await world.revoke()
  world.expire()
  await agent.expire?.()
  const before = world.issuer?.refusals() ?? 0
  const reply = agent.call(ECHO, { text: 'after the end' }).then(
    ({ isError, text }) => ({ answered: isError ? undefined : text }),
    () => ({ answered: undefined }),
  )
  const first = await Promise.race([asked.then(() => 'asked' as const), reply])
  if (first === 'asked') return 'asks again'
  must(first.answered === undefined, `was answered ${first.answered}`)
  // Its issuer gave it a new token, since the issuer does not know of the end.
  must((world.issuer?.refusals() ?? 1) > before, 'failed, and the gateway refused nothing')
  return 'error'
}
