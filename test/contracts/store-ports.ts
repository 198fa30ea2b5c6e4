/**
 * What every store contract suite needs: the store ports over one store, and the clock they share.
 * The suites use fresh random keys for everything, so one store may serve them all; the few records
 * that exist once per store (broadcast, tools cache, sweep cursor) are used as the tests find them.
 */
import { beforeAll } from 'vitest'
import type { StorePorts as Stored } from '../../core/ports/ports.ts'
import type { TestClock } from './test-clock.ts'
import type { OldService } from './v0-service.ts'

export type StorePorts = Stored & { readonly clock: TestClock }

/** The earlier service, over the same store. */
export type SharedPorts = StorePorts & { readonly old: OldService }

export type MakePorts<P extends StorePorts = StorePorts> = () => Promise<P>

/** Opens the ports before the tests of the surrounding `describe`, and hands them to each. */
export function openedPorts<P extends StorePorts>(makePorts: MakePorts<P>): () => P {
  let opened: P | undefined
  beforeAll(async () => {
    opened = await makePorts()
  })
  return () => {
    if (opened === undefined) throw new Error('the store ports are not open yet')
    return opened
  }
}
