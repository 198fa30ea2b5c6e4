/**
 * Entry point of the deployed function caller, which stands in the stage's network. Only stages
 * with privateHosts have it.
 */
import { readProcessConfig } from '../../adapters/config/env.ts'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { makeJsonLog } from '../../adapters/telemetry/json-log.ts'
import { makeListedAddressCheck } from '../../adapters/upstream/caller/private-address.ts'
import { httpUpstream } from '../../adapters/upstream/http-upstream.ts'
import { createCallerDoor } from './door.ts'

const { privateNetwork, telemetry } = readProcessConfig(['privateNetwork', 'telemetry'])
const clock = systemClock()
const metrics = { stage: telemetry.stage, door: 'caller' }

export const handler = createCallerDoor({
  clock,
  log: makeJsonLog({ write: (line) => process.stdout.write(line), clock, metrics }),
  upstream: httpUpstream({
    outboundAllow: privateNetwork.hosts,
    isListedAddress: makeListedAddressCheck(privateNetwork.runtimeApi),
  }),
})
