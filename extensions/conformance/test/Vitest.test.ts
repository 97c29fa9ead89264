import * as Conformance from "@effect-lingua/conformance/Conformance"
import { conformance } from "@effect-lingua/conformance/Vitest"
import { TestClock } from "effect/testing"

conformance("Conformance registers a test for each check", Conformance.layerFake({ advance: TestClock.adjust }))
