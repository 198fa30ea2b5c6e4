import { expect, test } from 'vitest'
import { DEFAULT_OPTIONS } from '../../../local/settings/option-table.ts'
import { toTwinSettings } from '../../../local/settings/twin-settings.ts'

test('skills may reach this port of this machine by http, and no other, even at port 80', () => {
  const options = { ...DEFAULT_OPTIONS, outboundAllow: ['localhost:3000'] }
  expect(toTwinSettings(options, 'http://127.0.0.1:8787').outboundAllow).toEqual([
    '127.0.0.1:8787',
    'localhost:3000',
  ])
  expect(toTwinSettings(DEFAULT_OPTIONS, 'http://[::1]:80').outboundAllow).toEqual(['[::1]:80'])
})

test('the free tier has the calls per minute of the option', () => {
  const { tiers } = toTwinSettings({ ...DEFAULT_OPTIONS, callsPerMinute: 7 }, 'http://127.0.0.1:1')
  expect(tiers.free.callsPerMinute).toBe(7)
})

test('changed tools are announced, since an open stream costs nothing on this machine', () => {
  expect(toTwinSettings(DEFAULT_OPTIONS, 'http://127.0.0.1:8787').announceToolChanges).toBe(true)
})
