/** A user whose skill sends secrets, in the test world. */
import { setSecret } from '../../../../core/flow/users/manage-secrets.ts'
import { setSharedSecret } from '../../../../core/flow/users/manage-shared-secrets.ts'
import type { JsonObject } from '../../../../core/json/json.ts'
import { makeWorld, okOf, type World } from '../world.ts'

export const BEARER: JsonObject = { auth: { type: 'bearer', secret: 'API_KEY' } }

/** Sets a secret for all skills, or for one. */
export async function setFor(
  world: World,
  uid: string,
  values: { readonly [name: string]: string },
  skill?: string,
): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    okOf(await setSecret(world.ports, world.settings, { uid, name, skill }, { value }))
  }
}

/** Sets a shared secret of sg_weather, or with `origins` for all official skills. */
export async function setShared(
  world: World,
  value: string,
  more: { readonly skill?: string; readonly body?: JsonObject; readonly name?: string } = {},
): Promise<void> {
  const { body = {}, name = 'API_KEY', skill } = more
  const place = { name, skill, setBy: 'admin' }
  okOf(await setSharedSecret(world.ports, world.settings, place, { value, ...body }))
}

/** A world with the skill sg_weather at one credit, and no secret set yet. */
export async function worldWith(config: JsonObject): Promise<{ world: World; ada: string }> {
  const world = makeWorld()
  const ada = await world.user('ada')
  await world.skill('sg_weather', { config })
  return { world, ada }
}
