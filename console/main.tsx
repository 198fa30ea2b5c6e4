/** Starts the console. */
import { render } from 'preact'
import { App } from './shell/app.tsx'
import { watchIdleness } from './shell/session.ts'

const root = document.getElementById('app')
if (root !== null) {
  watchIdleness()
  render(<App />, root)
}
