import * as Conformance from "@effect-lingua/conformance/Conformance"
import { conformance } from "@effect-lingua/conformance/Vitest"
import { TestClock } from "effect/testing"
import { sampled } from "../../../test/support/scale.ts"

const host = Conformance.layerFake({ advance: TestClock.adjust })

conformance("Conformance registers a test for each check", host, sampled(Conformance.checks, 10))
