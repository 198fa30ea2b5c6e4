/** The function that provisions, loaded with the first identity that has no user. */
import type { ProvisionIdentity } from '../../access/identity.ts'
import { loadOnce } from '../../cache/load-once.ts'
import type { ProvisionNeeds } from './provision-identity.ts'

type Options = Parameters<typeof import('./provision-identity.ts').makeProvision>[1]

/** Returns what `makeProvision` returns, without its code at the start. */
export function makeLateProvision(ports: ProvisionNeeds, settings: Options): ProvisionIdentity {
  const load = loadOnce(async () => {
    const { makeProvision } = await import('./provision-identity.ts')
    return makeProvision(ports, settings)
  })
  return async (token, id) => (await load())(token, id)
}
