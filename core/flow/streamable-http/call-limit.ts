/**
 * Finds the time limit of the tool that a call names, for its progress notifications. The limit is
 * in the caller's tool list; execute has the exact one but says nothing before its answer. It costs
 * reads only if the list is not cached, and only calls that report progress need it.
 */
import type { Credential } from '../../access/credential.ts'
import { CALL_TIMEOUT_MS } from '../../call/limits.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { TIMEOUT_MS_MAX } from '../../skills/limits.ts'
import { authenticate } from '../access/authenticate.ts'
import { type ListToolsNeeds, readListLayers } from '../tools/merge-tool-layers.ts'
import type { ToolListCache } from '../tools/tool-list-cache.ts'

export type CallLimitNeeds = ListToolsNeeds & Pick<Ports, 'digests' | 'keys' | 'profiles'>

export type NamedCall = {
  readonly name: string
  readonly credential: Credential
  readonly lists: ToolListCache
}

/** A slow store must not delay the first notification longer than this. */
export const LIMIT_WAIT_MS = 500

/** Milliseconds. Never rejects: without an answer of the store, returns the limit of every call. */
export async function findCallLimitMs(
  ports: CallLimitNeeds,
  settings: Settings,
  call: NamedCall,
): Promise<number> {
  const over = new AbortController()
  const found = findLimit(ports, settings, call).catch((cause: unknown) => {
    ports.log.note('warn', 'call-limit-not-read', {}, cause)
    return undefined
  })
  const late = ports.clock.sleep(LIMIT_WAIT_MS, over.signal).then(() => undefined)
  const limitMs = await Promise.race([found, late])
  over.abort('over')
  // A skill without a limit of its own may take as long as a call may.
  return limitMs === undefined || limitMs >= TIMEOUT_MS_MAX ? CALL_TIMEOUT_MS : limitMs
}

/** A private skill is called by its tool name or its id, and comes before a shared one. */
async function findLimit(
  ports: CallLimitNeeds,
  settings: Settings,
  { credential, lists, name }: NamedCall,
): Promise<number | undefined> {
  const authentication = await authenticate(ports, credential)
  const lister = authentication.kind === 'principal' ? authentication.principal : undefined
  const profile = lister === undefined ? undefined : await ports.profiles.read(lister.uid)
  const { groups, skillsChangedAtMs } = profile ?? {}
  const { own, shared } = await readListLayers(
    ports,
    settings,
    lists,
    lister && { ...lister, groups, skillsChangedAtMs },
  )
  const mine = own?.own.tools ?? []
  const tool =
    mine.find((one) => one.name === name || one.skillId === name) ??
    shared.tools.find((one) => one.name === name)
  return tool?.timeoutMs
}
