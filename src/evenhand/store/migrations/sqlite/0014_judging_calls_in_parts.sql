-- The calls of evaluations from before, part by part, in the order of their ids. A judge that is asked is known by more
-- than its name, by its provider and model: where there is only a name, as of a person, the scorecard is not even read.
-- GLOB is quick: it passes over the others that no model judged, and only the scorecards that are left are parsed.
INSERT INTO judging_calls (id, skill, completed, asked, input_tokens, output_tokens, cost)
SELECT id, skill, completed, coalesce(json_extract(scorecard, '$.panel.calls.asked'), 0),
  coalesce(json_extract(scorecard, '$.panel.calls.input_tokens'), 0),
  coalesce(json_extract(scorecard, '$.panel.calls.output_tokens'), 0),
  CAST(round(json_extract(scorecard, '$.panel.calls.cost') * 1e9) AS INTEGER)
FROM evaluations
WHERE id > coalesce((SELECT max(id) FROM judging_calls), '')
  AND (judge NOT GLOB '{"name":*' OR instr(judge, '","') > 0) AND scorecard GLOB '*{"asked":*'
  AND CASE WHEN json_valid(scorecard)
    THEN json_type(scorecard, '$.panel.calls.asked') IS NOT NULL AND json_type(scorecard, '$.rescored_from') IS NULL
  END
ORDER BY id
LIMIT 20000
