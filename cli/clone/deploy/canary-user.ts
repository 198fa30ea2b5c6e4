/**
 * The canary user of a stage: it has a few credits, a key in the secret of the stage, and a private
 * skill that calls the stage itself. So a call of it passes all that a paid call passes: the key,
 * the hold, an upstream over the network, and the charge. Each step can be done again. If two
 * deploys make a key at once, the secret has the last one, and the other ends unused.
 */
import { AdminRefusal, type SendToAdmin } from './admin-requests.ts'

/** A team may have a user `canary` of its own. */
const UID = 'skillgate-canary'
/** The beginning of its tools' names. */
const USERNAME = 'canary'
/** In credits: a million calls. A deploy tops up what is below the half. */
const CREDITS = 10
const PRICE = 0.00001
const SKILL_ID = 'check'

/** The secret of the stage; its text is never printed. */
export type KeySecret = {
  read(): Promise<string>
  write(text: string): Promise<void>
}

export type Canary = { readonly key: string; readonly tool: string }

/**
 * Makes what is missing of the user and returns its key and its tool. `nowMs` makes the id of a
 * grant. Throws an Error with the text of a refusal.
 */
export async function prepareCanary(
  send: SendToAdmin,
  { nowMs, secret, sseUrl }: { secret: KeySecret; sseUrl: string; nowMs: number },
): Promise<Canary> {
  const { credits, keys = [] } = await findUser(send)
  if (credits !== undefined && credits < CREDITS / 2) {
    const grant = { grantId: `canary-${nowMs}`, amount: CREDITS, reason: 'credits of the canary' }
    await send('POST', `/users/${UID}/credits`, grant)
  }
  const { toolName } = await send('POST', `/sync_skill?uid=${UID}`, toSkill(sseUrl))
  if (toolName === undefined) throw new Error('the skill of the canary has no tool name')
  const stored = readStored(await secret.read())
  if (stored?.tool === toolName && keys.some(({ keyId }) => keyId === stored.keyId)) {
    return { key: stored.key, tool: toolName }
  }
  // Whoever reads the secret may call this tool, and nothing else of the stage.
  const limits = { tools: [toolName], maxCreditsPerCall: PRICE }
  const { key, keyId } = await send('POST', `/users/${UID}/keys`, limits)
  if (key === undefined) throw new Error('the canary got no key')
  await secret.write(JSON.stringify({ key, keyId, tool: toolName }))
  return { key, tool: toolName }
}

async function findUser(send: SendToAdmin) {
  try {
    return await send('GET', `/users/${UID}`)
  } catch (cause) {
    if (!(cause instanceof AdminRefusal) || cause.status !== 404) throw cause
    return send('POST', '/users', { uid: UID, username: USERNAME, credits: CREDITS })
  }
}

function toSkill(sseUrl: string): object {
  return {
    id: SKILL_ID,
    source: 'private',
    meta: {
      name: SKILL_ID,
      description: 'Asks the gateway itself whether it is well, for the checks of a deploy.',
      parameters: { type: 'object', properties: {} },
    },
    config: { endpoint: new URL('/healthz', sseUrl).href, method: 'GET' },
    credits_per_call: PRICE,
  }
}

function readStored(text: string): (Canary & { readonly keyId: string }) | undefined {
  try {
    const { key, keyId, tool }: { readonly [name: string]: unknown } = JSON.parse(text)
    if (typeof key !== 'string' || typeof keyId !== 'string') return undefined
    return { key, keyId, tool: String(tool) }
  } catch {
    // Somebody has replaced the text; a new key replaces it again.
    return undefined
  }
}
