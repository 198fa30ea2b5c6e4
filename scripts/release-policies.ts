/**
 * `npm run release:policies`: writes test/policies/released.json, what each function may do in this
 * version. Run it for a release, once the version in package.json is the new one. Until the next
 * release a test compares the policies with this file.
 */
import '../bench/lib/help.ts'
import { readFileSync, writeFileSync } from 'node:fs'
import { RELEASED_FILE, writeReleased } from '../test/policies/released.ts'
import { readAllGrants } from '../test/policies/stages.ts'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
writeFileSync(RELEASED_FILE, writeReleased(version, readAllGrants()))
