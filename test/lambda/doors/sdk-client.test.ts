/** The bundles of a stage with `storeClient: 'sdk'` pass the suite that every host passes. */
import { afterAll } from 'vitest'
import { describeHappyPaths } from '../../hosts/happy-paths.ts'
import { hostOf } from './host.ts'
import { startWorld, type World } from './world.ts'

let world: World
afterAll(() => world?.stop())

describeHappyPaths("Lambda with the AWS SDK's client of the store", async () => {
  world = await startWorld({ env: { STORE_CLIENT: 'sdk' }, sse: { concurrencyMax: 40 } })
  return hostOf(world)
})
