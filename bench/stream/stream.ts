/**
 * `npm run bench:stream`: measures how fast replies reach the stream, and what a call and an idle
 * stream cost the store. Prints Markdown for docs/performance.md. Exits with 1 if a goal is missed:
 * those of replies that are written while their request has been pending for up to two seconds, and
 * those of calls over HTTP+SSE through the twin. Takes about two minutes; the machine should have
 * nothing else to do. `-- --short` only checks that the bench works.
 */
import '../lib/help.ts'
import { printMachine } from '../lib/figures.ts'
import { failIfMissed } from '../lib/short.ts'
import { measureCallCost } from './call-cost.ts'
import { measureDelivery } from './delivery.ts'
import { measureIdle } from './idle.ts'
import { measureRoundTrip } from './round-trip.ts'

printMachine('npm run bench:stream')
const isDelivered = await measureDelivery()
const isAnswered = await measureRoundTrip()
await measureCallCost()
await measureIdle()
failIfMissed(isDelivered && isAnswered)
