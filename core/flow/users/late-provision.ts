/** The function that provisions, loaded with the first identity that has no user. */
import type { ProvisionIdentity } from '../../access/identity.ts'
import { loadOnce } from '../../cache/load-once.ts'
import type { Settings } from '../../settings.ts'
import type { ProvisionNeeds } from './provision-identity.ts'

/** Returns what `makeProvision` returns, without its code at the start. */
export function makeLateProvision(
  ports: ProvisionNeeds,
  settings: Pick<Settings, 'prefix'>,
): ProvisionIdentity {
  const load = loadOnce(async () => {
    const { makeProvision } = await import('./provision-identity.ts')
    return makeProvision(ports, settings)
  })
  return async (token, id) => (await load())(token, id)
}
