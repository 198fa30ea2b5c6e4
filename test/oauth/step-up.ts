/**
 * A person who allowed a client to list tools alone, and the call that needs more. What each client does is
 * known by its version (`LoginClient.stepUp`), and another outcome fails, a better one too. If the challenge is
 * renamed on its way, no client can see it, and every client must get the reason as the text of the tool.
 */
import type { Outcome } from '../clients/checks.ts'
import type { LoginAgent, LoginClient, StepUp } from './agent.ts'
import type { Browser } from './browser.ts'
import { ECHO, type LoginWorld } from './gateway.ts'
import { must, reasonOf } from './must.ts'

const WORDS = 'one more scope'
/** In the gateway's own words, whichever way they come. */
const SCOPE_MISSING = 'your access token has no scope tools:call'

type At = Pick<LoginWorld, 'mcp'> & {
  readonly browser: Browser
  readonly issuer: NonNullable<LoginWorld['issuer']>
}
type Seen = { readonly kind: StepUp | 'told by the tool'; readonly text: string }

/** Rejects with what the client did instead. */
export async function checkStepUp(
  client: LoginClient,
  { browser, issuer, mcp }: At,
): Promise<Outcome> {
  issuer.allowReading()
  const reader = await client
    .connect({ mcp, person: browser.person })
    .finally(() => issuer.allowAll())
  try {
    must((await reader.toolNames()).includes(ECHO), 'may not list')
    const { kind, text } = await callOnce(reader, browser)
    const expected = issuer.isChallengeSeen ? client.stepUp : 'told by the tool'
    must(kind === expected, `${kind} and not ${expected}: ${text}`)
    return { kind: 'passed', note: kind }
  } finally {
    await reader.close().catch(() => undefined)
  }
}

async function callOnce(reader: LoginAgent, browser: Browser): Promise<Seen> {
  const before = browser.pages()
  const { isError, text, isThrown } = await reader.call(ECHO, { text: WORDS }).then(
    (reply) => ({ ...reply, isThrown: false }),
    (cause: unknown) => ({ text: reasonOf(cause), isError: true, isThrown: true }),
  )
  const pages = browser.pages() - before
  if (!isError) {
    must(text.includes(WORDS), `answered ${text}`)
    must(pages === 1, `called after ${pages} logins for it`)
    return { kind: 'logs in', text }
  }
  must(pages === 0, `opened ${pages} pages, and failed: ${text}`)
  if (!text.includes(SCOPE_MISSING)) return { kind: 'refused', text }
  return { kind: isThrown ? 'told' : 'told by the tool', text }
}
