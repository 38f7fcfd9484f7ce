/* SPDX-License-Identifier: Apache-2.0
 * Meta's errors by name (src/sandbox/meta/graph_errors.c): every number of meta.md
 * 6 can be asked for, and comes as Meta writes it. */
#include "count_of.h"

#include "graph_flow.h"

static const char *const names[] = {
	"1",
	"2",
	"3",
	"4",
	"10",
	"17",
	"32",
	"100",
	"100/33",
	"102",
	"190",
	"190/458",
	"190/459",
	"190/460",
	"190/463",
	"190/464",
	"190/467",
	"190/492",
	"200",
	"283",
	"324",
	"341",
	"352/2207026",
	"368",
	"382",
	"389",
	"506",
	"613",
	"6000",
	"6001",
	"80001",
	"80002",
	"1609005",
	"1609008",
	"100/1346003",
	"100/1349125",
	"100/1363040",
	"2/1363047",
	"100/1363127",
	"100/1363128",
	"100/1363129",
	"100/1366046",
	"100/1366051",
	"368/1390008",
	"100/1404006",
	"200/1404078",
	"368/1404102",
	"368/1404112",
	"100/1609010",
	"100/2061006",
	"100/2069019",
	"200/4854002",
	"-1/2207001",
	"-2/2207003",
	"36000/2207004",
	"36001/2207005",
	"24/2207006",
	"24/2207008",
	"36003/2207009",
	"36004/2207010",
	"-2/2207020",
	"100/2207023",
	"9007/2207027",
	"100/2207028",
	"-1/2207032",
	"100/2207035",
	"100/2207036",
	"100/2207037",
	"100/2207040",
	"9/2207042",
	"25/2207050",
	"4/2207051",
	"9004/2207052",
	"-1/2207053",
	"1/2207057",
	"-2/2207077",
	"100/2207081",
	"-1/2207082",
	"-1/2207085",
};

static void every_error_comes_by_its_name(void **state)
{
	struct probe *probe = *state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		const struct str fault =
			str_format(probe->arena,
				   "{\"platform\":\"facebook\",\"effect\":\"status\","
				   "\"error\":\"%s\"}",
				   names[i]);
		probe_fault(probe, probe_z(probe, fault));
		const struct probe_answer answer = graph_get(probe, STR("any"), GRAPH "/me");
		const int64_t subcode = graph_subcode(&answer);
		const struct str shown =
			subcode > 0
				? str_format(probe->arena, "%lld/%lld",
					     (long long)graph_code(&answer), (long long)subcode)
				: str_format(probe->arena, "%lld", (long long)graph_code(&answer));

		assert_str(shown, names[i]);
		assert_true(answer.status >= 400 && answer.status <= 500);
		assert_true(probe_json_string(&answer, "error").len == 0 &&
			    json_string(json_get(json_get(answer.json, "error"), "message")).len >
				    0);
	}
}

static void names_are_checked(void **state)
{
	struct probe *probe = *state;
	static const char *const bodies[] = {
		"{\"platform\":\"facebook\",\"effect\":\"status\",\"error\":\"5\"}",
		"{\"platform\":\"facebook\",\"effect\":\"status\",\"error\":\"190/\"}",
		"{\"platform\":\"facebook\",\"effect\":\"status\",\"error\":\"190/463/1\"}",
		"{\"platform\":\"facebook\",\"effect\":\"status\",\"error\":\"\"}",
		"{\"platform\":\"facebook\",\"effect\":\"slow\",\"error\":\"190\"}",
		"{\"effect\":\"status\",\"error\":\"190\"}",
		"{\"platform\":\"x\",\"effect\":\"status\",\"error\":\"190\"}",
	};
	for (size_t i = 0; i < COUNT_OF(bodies); i++) {
		const struct probe_answer answer =
			probe_ask(probe, (struct probe_request){.method = "POST",
								.path = "/_sandbox/faults",
								.body = str_of(bodies[i])});
		if (answer.status != 400)
			fail_msg("%s: %ld", bodies[i], answer.status);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_error_comes_by_its_name, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(names_are_checked, probe_open, probe_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
